// SPDX-License-Identifier: Apache-2.0
/* Built-in models of human figures. A limb is written once, as a template in which @ stands for the
 * side, left or right, and ~ for the sign of its y: nothing or a minus. */
#include <stddef.h>
#include <string.h>

#include "model/builtin_parts.h"

typedef struct {
  const char *name, *sign, *color;
} body_side;

static const body_side sides[2] = {{"left", "", "#4477aa"}, {"right", "-", "#ee6677"}};

/* Appends the lines of a template for one side; # stands for its color. */
static void write_limb(cardan__text *out, const char *const *lines, const body_side *side)
{
  for (int i = 0; lines[i]; i++) {
    const char *rest = lines[i];
    for (size_t k = strcspn(rest, "@~#"); rest[k]; k = strcspn(rest, "@~#")) {
      const char *word = rest[k] == '@' ? side->name : rest[k] == '~' ? side->sign : side->color;
      cardan__builtin_say(out, "%.*s%s", (int)k, rest, word);
      rest += k + 1;
    }
    cardan__builtin_say(out, "%s\n", rest);
  }
}

static const char *const human_head[] = {
    "; human - a planar human, free in the plane x-z: head, trunk, two arms, two legs",
    "; Johnson & Murphey, Scalable Variational Integrators for Constrained Mechanical Systems in",
    "; Generalized Coordinates, Fig. 2: tx, tz and ry at the pelvis, then the limbs. The numbers",
    "; are chosen: masses and lengths of an adult, 75 kg in all, inertias of cylinders of about",
    "; the right thickness. It is let go in mid-stride and falls, while springs in its joints",
    "; straighten it; --set stiffness=0 leaves them out.",
    "(system 'human'",
    "  (gravity 0 0 -9.81)",
    "  (define stiffness 20)    ; of every joint [N m/rad]",
    "",
    "  (tx 'pelvis.x' tz 'pelvis.z' ry 'pelvis.a' (name 'pelvis')",
    "    (tz 0.25 (name 'trunk') (mass 37 0.98 0.98 0.42)",
    "      (shape capsule 0.13 0.34) (color '#ccbb44'))",
    "    (tz 0.5 (name 'shoulders')))",
    "  (at 'shoulders'",
    "    (ry 'neck'",
    "      (tz 0.2 (name 'head') (mass 6 0.024 0.024 0.024)",
    "        (shape sphere 0.11) (color '#ccbb44'))))",
    NULL,
};

static const char *const human_limbs[] = {
    "",
    "  (at 'shoulders'",
    "    (ry '@.shoulder'",
    "      (tz -0.165 (mass 2.1 0.02 0.02 0.0021) (shape capsule 0.045 0.33) (color '#'))",
    "      (tz -0.33",
    "        (ry '@.elbow'",
    "          (tz -0.2 (mass 1.6 0.022 0.022 0.0013)",
    "            (shape capsule 0.035 0.4) (color '#'))))))",
    "  (at 'pelvis'",
    "    (ry '@.hip'",
    "      (tz -0.215 (mass 7.5 0.125 0.125 0.018) (shape capsule 0.07 0.43) (color '#'))",
    "      (tz -0.43",
    "        (ry '@.knee'",
    "          (tz -0.215 (mass 3.5 0.056 0.056 0.0044)",
    "            (shape capsule 0.05 0.43) (color '#'))",
    "          (tz -0.43",
    "            (ry '@.ankle'",
    "              (tx 0.06 tz -0.04 (mass 1.3 0.0013 0.0066 0.0071)",
    "                (shape box 0.24 0.09 0.06) (color '#'))))))))",
    NULL,
};

static const char *const human_tail[] = {
    "",
    "  (joint-spring 'neck' stiffness 0)",
    "  (joint-spring 'left.shoulder' stiffness 0) (joint-spring 'right.shoulder' stiffness 0)",
    "  (joint-spring 'left.elbow' stiffness 0)    (joint-spring 'right.elbow' stiffness 0)",
    "  (joint-spring 'left.hip' stiffness 0)      (joint-spring 'right.hip' stiffness 0)",
    "  (joint-spring 'left.knee' stiffness 0)     (joint-spring 'right.knee' stiffness 0)",
    "  (joint-spring 'left.ankle' stiffness 0)    (joint-spring 'right.ankle' stiffness 0)",
    "",
    "  ; facing +x: a limb swung forward has a negative angle, a bent knee a positive one",
    "  (initial",
    "    ('pelvis.z' 1) ('pelvis.a' 0.1) ('neck' -0.1)",
    "    ('left.shoulder' 0.5)   ('left.elbow' -0.4)  ('left.hip' -0.6)  ('left.knee' 0.5)",
    "    ('right.shoulder' -0.6) ('right.elbow' -0.8) ('right.hip' 0.4)  ('right.knee' 0.7)",
    "    ('right.ankle' 0.3))",
    "  (simulate (dt 0.002) (time 1)))",
    NULL,
};

void cardan__builtin_human(cardan__text *out, int n)
{
  (void)n;
  cardan__builtin_lines(out, human_head);
  write_limb(out, human_limbs, &sides[0]);
  write_limb(out, human_limbs, &sides[1]);
  cardan__builtin_lines(out, human_tail);
}

static const char *const humanoid_head[] = {
    "; humanoid - a free base and 30 hinges: waist 3, neck 3, arms 6 + 6, legs 6 + 6",
    "; A figure of 75 kg for measuring speed, facing +x, left at +y. Masses and lengths are",
    "; plausible, inertias those of boxes and cylinders; where hinges follow one another at one",
    "; place, the parts between them are small, but not without mass, so that every method can",
    "; take the model.",
    "(system 'humanoid'",
    "  (gravity 0 0 -9.81)",
    "",
    "  (joint free 'pelvis' (mass 10 0.094 0.052 0.108)",
    "    (shape box 0.2 0.3 0.15) (color '#ccbb44'))",
    "",
    "  (at 'pelvis'",
    "    (tz 0.1 rz 'waist.yaw' (mass 1 0.0015 0.0015 0.0015)",
    "      (rx 'waist.roll' (mass 1 0.0015 0.0015 0.0015)",
    "        (ry 'waist.pitch'",
    "          (tz 0.25 (name 'chest') (mass 24 0.636 0.485 0.311)",
    "            (shape box 0.2 0.34 0.45) (color '#ccbb44'))))))",
    "  (at 'chest'",
    "    (tz 0.25 rz 'neck.yaw' (mass 0.5 0.0005 0.0005 0.0005)",
    "      (rx 'neck.roll' (mass 0.5 0.0005 0.0005 0.0005)",
    "        (ry 'neck.pitch'",
    "          (tz 0.15 (name 'head') (mass 5 0.0242 0.0242 0.0242)",
    "            (shape sphere 0.11) (color '#ccbb44'))))))",
    NULL,
};

static const char *const humanoid_limbs[] = {
    "",
    "  (at 'chest'",
    "    (ty ~0.22 tz 0.18 ry '@.shoulder.pitch' (mass 0.5 0.0005 0.0005 0.0005)",
    "      (rx '@.shoulder.roll' (mass 0.5 0.0005 0.0005 0.0005)",
    "        (rz '@.shoulder.yaw'",
    "          (tz -0.14 (mass 1.8 0.0127 0.0127 0.0018)",
    "            (shape capsule 0.045 0.28) (color '#'))",
    "          (tz -0.28",
    "            (ry '@.elbow'",
    "              (tz -0.125 (mass 1.2 0.0067 0.0067 0.001)",
    "                (shape capsule 0.04 0.25) (color '#'))",
    "              (tz -0.25 rz '@.wrist.yaw' (mass 0.2 0.0001 0.0001 0.0001)",
    "                (ry '@.wrist.pitch'",
    "                  (tz -0.09 (mass 0.4 0.0013 0.0011 0.0003)",
    "                    (shape box 0.03 0.08 0.18) (color '#'))))))))))",
    "  (at 'pelvis'",
    "    (ty ~0.1 tz -0.05 rz '@.hip.yaw' (mass 0.6 0.0006 0.0006 0.0006)",
    "      (rx '@.hip.roll' (mass 0.6 0.0006 0.0006 0.0006)",
    "        (ry '@.hip.pitch'",
    "          (tz -0.21 (mass 6.6 0.105 0.105 0.0162)",
    "            (shape capsule 0.07 0.42) (color '#'))",
    "          (tz -0.42",
    "            (ry '@.knee'",
    "              (tz -0.21 (mass 3 0.046 0.046 0.0038)",
    "                (shape capsule 0.05 0.42) (color '#'))",
    "              (tz -0.42 ry '@.ankle.pitch' (mass 0.2 0.0001 0.0001 0.0001)",
    "                (rx '@.ankle.roll'",
    "                  (tx 0.04 tz -0.05 (mass 0.9 0.0009 0.0046 0.0049)",
    "                    (shape box 0.24 0.09 0.06) (color '#'))))))))))",
    NULL,
};

static const char *const humanoid_tail[] = {
    "",
    "  ; standing with bent knees and elbows, the feet just above z = 0; nothing holds it",
    "  (initial",
    "    ('pelvis' (0 0 0.94 1 0 0 0))",
    "    ('left.shoulder.roll' 0.2)   ('left.elbow' -0.6)",
    "    ('left.hip.pitch' -0.3)      ('left.knee' 0.6)    ('left.ankle.pitch' -0.3)",
    "    ('right.shoulder.roll' -0.2) ('right.elbow' -0.6)",
    "    ('right.hip.pitch' -0.3)     ('right.knee' 0.6)   ('right.ankle.pitch' -0.3))",
    "  (simulate (dt 0.001) (time 1)))",
    NULL,
};

void cardan__builtin_humanoid(cardan__text *out, int n)
{
  (void)n;
  cardan__builtin_lines(out, humanoid_head);
  write_limb(out, humanoid_limbs, &sides[0]);
  write_limb(out, humanoid_limbs, &sides[1]);
  cardan__builtin_lines(out, humanoid_tail);
}
