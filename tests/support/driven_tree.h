/* SPDX-License-Identifier: Apache-2.0
 * driven_tree.h - a model with all that copies in lanes take. */
#pragma once

/* Every kind of joint, one below the other and in branches, with armature, damping, a spring, a
 * motor and a servo at its limits at times. */
static const char driven_tree[] =
    "(system (gravity 1 -2 -9) (input \"push\" 3 (limit -4 4)) (input \"to\" 0.2)"
    " (joint revolute \"a\" (axis 1 2 0) (mass 2 0.3 0.4 0.5)"
    "  (place (0.1 0.2 0.3) (joint prismatic \"b\" (axis 0 1 1) (mass 1)"
    "   (joint helical \"c\" (pitch 0.2) (place (0 0.3 0.1) (mass 2 1 1 1)"
    "    (joint revolute \"d\" (axis 0 1 0) (tx 0.4 (mass 1.5)))))))"
    "  (place (0 -0.4 0) (joint spherical \"e\" (tz -0.3 (mass 1 0.1 0.2 0.3)"
    "   (joint free \"f\" (mass 3 0.5 0.6 0.7))))))"
    " (armature \"a\" 0.2) (armature \"b\" 0.3) (armature \"c\" 0.1)"
    " (damping 0.05) (damping \"b\" 0.2) (joint-spring \"c\" 10 0.3)"
    " (actuator \"motor\" \"a\" \"push\" (gear 2) (limit -3 3))"
    " (actuator \"servo\" \"d\" \"to\" (gear 1.5) (servo 40 2) (limit -5 5)))";
