// SPDX-License-Identifier: Apache-2.0
/* Built-in models of machines whose parts touch: a hopper, a gripper, a quadruped, a Geneva drive,
 * a cam. */
#include <stddef.h>

#include "model/builtin_parts.h"

const char *const cardan__builtin_hopper[] = {
    "; hopper - a body on a springy leg, hopping on the spot",
    "; The foot has mass: its landing costs energy, and a thrust along the leg, as it extends",
    "; on the ground, gives it back. --set thrust=0: it hops lower and lower, and rests.",
    "(system 'hopper'",
    "  (gravity 0 0 -9.81)",
    "  (define m 1)                ; masses of body and foot [kg]",
    "  (define mf 0.2)",
    "  (define L 0.5)              ; length of the leg at rest [m]",
    "  (define k 400)              ; its stiffness [N/m]",
    "  (define thrust 8)           ; for each m/s [N s/m]",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    "  (tz 'foot' (mass mf 1e-4 1e-4 1e-4) (shape sphere 0.02) (color '#222222')",
    "    (tz -0.02 (name 'sole') (solid point))",
    "    (tz 0.2 (shape cylinder 0.015 0.4) (color '#777777'))",
    "    (tz 'leg' (name 'body') (mass m 4e-3 4e-3 4e-3) (shape sphere 0.1) (color '#4477aa')))",
    "  (joint-spring 'leg' k L)",
    "  (torque 'leg' (* thrust (max 0 v.leg) (< q.foot 0.0201)))",
    "  (contact 'sole' 'floor')",
    "",
    "  (initial ('foot' 0.3) ('leg' L))",
    "  (simulate (dt 0.002) (time 5)))",
    NULL,
};

const char *const cardan__builtin_gripper[] = {
    "; gripper - two fingers close on a block, lift it and swing it",
    "; The block is held by friction alone: 2 mu F = 12 N against its weight of 4.9 N and what",
    "; swinging it asks for. With --input the grip [N] may follow a table; below 4 N it slips.",
    "(system 'gripper'",
    "  (gravity 0 0 -9.81)",
    "  (input 'grip' 10 (limit 0 50))                    ; force of each finger [N]",
    "  (define m 0.5)                                    ; the block: mass [kg],",
    "  (define a 0.06)                                   ; edge [m]",
    "  (define I (/ (* m a a) 6))",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    "  (place (0 0 (/ a 2))",
    "    (joint free 'block' (mass m I I I) (solid box a a a) (color '#ee6677')))",
    "",
    "  ; the hand is moved; fingers slide in it, closing along +x and -x",
    "  (tz (k 'lift') tx (k 'swing') (name 'hand')",
    "    (tz 0.16 (shape box 0.24 0.05 0.03) (color '#777777'))",
    "    (place (-0.05 0 (/ a 2))",
    "      (joint prismatic 'left' (axis 1 0 0) (mass 0.2 3e-4 3e-4 3e-4)",
    "        (tx -0.01 (solid box 0.02 0.04 0.05) (color '#4477aa'))",
    "        (place (-0.01 0 0.07) (shape box 0.02 0.03 0.09) (color '#4477aa'))))",
    "    (place (0.05 0 (/ a 2))",
    "      (joint prismatic 'right' (axis -1 0 0) (mass 0.2 3e-4 3e-4 3e-4)",
    "        (tx 0.01 (solid box 0.02 0.04 0.05) (color '#4477aa'))",
    "        (place (0.01 0 0.07) (shape box 0.02 0.03 0.09) (color '#4477aa')))))",
    "  (torque 'left' u.grip)",
    "  (torque 'right' u.grip)",
    "  (gear 'left' 'right' 1)                           ; the two move alike",
    "  (contact all (friction 0.6))",
    "",
    "  ; up by 0.2 m between 0.5 and 1.5 s, then to and fro",
    "  (motion 'lift'",
    "    (* 0.1 (- 1 (cos (* pi (min 1 (max 0 (- t 0.5))))))))",
    "  (motion 'swing'",
    "    (* 0.05 (^ (sin (* pi (max 0 (- t 1.5)))) 3)))",
    "  (simulate (dt 0.002) (time 4)))",
    NULL,
};

const char *const cardan__builtin_cam_follower[] = {
    "; cam-follower - an eccentric disc lifts a flat follower that a spring holds down",
    "; A flat face on an eccentric disc stands at ecc cos a + r, whatever the angle: one",
    "; inequality. The cam runs faster and faster; where ecc w^2 exceeds what weight and spring",
    "; can give, the follower leaves the cam, flies, and strikes it again.",
    "(system 'cam-follower'",
    "  (gravity 0 0 -9.81)",
    "  (define r 0.2)                                    ; radius of the disc [m]",
    "  (define ecc 0.05)                                 ; its centre off the axle",
    "  (define m 1)                                      ; mass of the follower [kg]",
    "  (define k 300)                                    ; spring [N/m],",
    "  (define press 20)                                 ; its force in the lowest position [N]",
    "",
    "  (ry (k 'cam')",
    "    (tz ecc (rx (deg 90) (shape cylinder r 0.05) (color '#4477aa'))",
    "      (tx (* 0.8 r) (shape sphere 0.02) (color '#222222'))))",
    "  (tz 'lift' (name 'follower') (mass m 0.01 0.01 0.01)",
    "    (tz 0.01 (shape box 0.3 0.05 0.02) (color '#ee6677'))",
    "    (tz 0.15 (shape box 0.03 0.03 0.26) (color '#ee6677')))",
    "  (joint-spring 'lift' k (- r ecc (/ press k)))",
    "  (inequality (- q.lift (+ r (* ecc (cos q.cam)))) (restitution 0.2) (name 'face'))",
    "",
    "  (motion 'cam' (* 4 t t))",
    "  (initial ('lift' (+ r ecc)))",
    "  (simulate (dt 0.001) (time 5)))",
    NULL,
};

static const char *const geneva_head[] = {
    "; geneva - a Geneva drive: a pin turns a slotted wheel by a quarter, and leaves it standing",
    "; The pin is a ball, a slot two long boxes. While the pin is outside, friction of the axle",
    "; holds the wheel (the drawings have a locking disc). The pin enters and leaves along the",
    "; slot, so that there is hardly an impact: centre distance d, crank d sin 45 deg.",
    "(system 'geneva'",
    "  (gravity 0 0 0)",
    "  (define d 0.2)                                    ; distance of the axles [m]",
    "  (define crank (* d (sin (deg 45))))               ; radius of the circle of the pin",
    "  (define rp 0.008)                                 ; radius of the pin",
    "  (define slack 1e-4)                               ; of the pin in a slot, each side",
    "  (define wall 0.02)                                ; thickness of the wall of a slot",
    "  (define from (- d crank rp 0.002))                ; a slot, from the axle of the wheel",
    "  (define to (* d (cos (deg 45))))",
    "  (define len (- to from))",
    "  (define mid (/ (+ from to) 2))",
    "  (define off (+ rp slack (/ wall 2)))",
    "",
    "  (ry (k 'crank') (name 'driver')",
    "    (tx (/ crank 2) ty 0.03 (shape box crank 0.02 0.01) (color '#ee6677'))",
    "    (tx crank (name 'pin') (solid sphere rp) (color '#222222')))",
    "  (tx d ry 'wheel' (mass 0.2 1e-3 2e-3 1e-3)",
    "    (rx (deg 90) (shape cylinder 0.03 0.02) (color '#4477aa'))",
    "    (ty -0.02 rx (deg 90) (shape cylinder to 0.004) (color '#99bbdd'))",
    NULL,
};

static const char *const geneva_tail[] = {
    "  (dry-friction 'wheel' 0.02)",     "  (contact all (friction 0.1))",    "",
    "  (motion 'crank' (* pi (+ 1 t)))", "  (simulate (dt 0.001) (time 8)))", NULL,
};

void cardan__builtin_geneva(cardan__text *out, int n)
{
  (void)n;
  cardan__builtin_lines(out, geneva_head);
  for (int i = 0; i < 4; i++) {
    cardan__builtin_say(out,
                        "    (ry (deg %d) tx mid\n"
                        "      (tz off (solid box len 0.02 wall) (color '#4477aa'))\n"
                        "      (tz (neg off) (solid box len 0.02 wall) (color '#4477aa')))%s\n",
                        45 + 90 * i, i < 3 ? "" : ")");
  }
  cardan__builtin_lines(out, geneva_tail);
}

static const char *const quadruped_head[] = {
    "; quadruped - a four-legged robot of 13 kg, dropped, that lands and stands by its servos",
    "; Every leg has a roll, a hip and a knee, each with a servo; the three inputs are their",
    "; targets, common to all legs, so that --input makes it crouch and rise. Feet are balls of",
    "; rubber.",
    "(system 'quadruped'",
    "  (gravity 0 0 -9.81)",
    "  (define kp 150)                                   ; servos [N m/rad, N m s/rad]",
    "  (define kd 5)",
    "  (define h 0.7)                                    ; half the bend of a knee [rad]",
    "  (define drop 0.1)                                 ; height of the feet at the start [m]",
    "  (input 'roll' 0 (limit -0.5 0.5))",
    "  (input 'hip' h (limit -1.5 1.5))",
    "  (input 'knee' (* -2 h) (limit -2.5 0))",
    "  (define mu 0.8)                                   ; of the feet: friction, restitution",
    "  (define e 0)",
    "  (material 'rubber' (friction mu) (restitution e))",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    "  (joint free 'trunk' (mass 8 0.06 0.19 0.22)",
    "    (solid box 0.5 0.24 0.12 (material 'rubber')) (color '#ccbb44'))",
    NULL,
};

static const char *const quadruped_tail[] = {
    "  (contact all)",
    "",
    "  (initial",
    "    ('trunk' (0 0 (+ drop 0.02 (* 0.4 (cos h))) 1 0 0 0))",
    "    ('fl.hip' h) ('fl.knee' (* -2 h)) ('fr.hip' h) ('fr.knee' (* -2 h))",
    "    ('bl.hip' h) ('bl.knee' (* -2 h)) ('br.hip' h) ('br.knee' (* -2 h)))",
    "  (simulate (dt 0.002) (time 3)))",
    NULL,
};

void cardan__builtin_quadruped(cardan__text *out, int n)
{
  static const struct {
    const char *name, *x, *y;
  } legs[4] = {{"fl", "", ""}, {"fr", "", "-"}, {"bl", "-", ""}, {"br", "-", "-"}};
  (void)n;
  cardan__builtin_lines(out, quadruped_head);
  for (int i = 0; i < 4; i++) {
    const char *leg = legs[i].name;
    cardan__builtin_say(
        out,
        "  (at 'trunk'\n"
        "    (place (%s0.2 %s0.14 0)\n"
        "      (rx '%s.roll' (mass 0.4 5e-4 5e-4 5e-4) (shape sphere 0.04)\n"
        "        (ry '%s.hip' (tz -0.1 (mass 0.6 2e-3 2e-3 3e-4)\n"
        "            (shape capsule 0.025 0.2) (color '#4477aa'))\n"
        "          (tz -0.2\n"
        "            (ry '%s.knee' (tz -0.1 (mass 0.25 9e-4 9e-4 1e-4)\n"
        "                (shape capsule 0.015 0.2) (color '#ee6677'))\n"
        "              (tz -0.2 (name '%s.foot')\n"
        "                (solid sphere 0.02 (material 'rubber')) (color '#222222'))))))))\n",
        legs[i].x, legs[i].y, leg, leg, leg, leg);
    cardan__builtin_say(out,
                        "  (actuator '%s.roll.servo' '%s.roll' 'roll' (servo kp kd))\n"
                        "  (actuator '%s.hip.servo' '%s.hip' 'hip' (servo kp kd))\n"
                        "  (actuator '%s.knee.servo' '%s.knee' 'knee' (servo kp kd))\n",
                        leg, leg, leg, leg, leg, leg);
  }
  cardan__builtin_lines(out, quadruped_tail);
}
