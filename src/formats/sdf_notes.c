// SPDX-License-Identifier: Apache-2.0
#include "formats/sdf.h"

/* What is reported of a file: one note for each kind, with the number of places. */

static const char *const notes[CARDAN__SDF_NOTES] = {
    [CARDAN__SDF_NOTE_INERTIAL] = "a link without <inertial> has 1 kg and moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_INERTIA] = "an <inertial> without <inertia> has moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_AUTO] =
        "inertial auto: the mass of a collision that is no simple solid is not known",
    [CARDAN__SDF_NOTE_FRAME] = "frame of a pose names nothing that is there, and is not used",
    [CARDAN__SDF_NOTE_AXIS] = "a joint without axis: z of its frame is taken",
    [CARDAN__SDF_NOTE_LIMIT] = "a limit whose lower end is above its upper one is not used",
    [CARDAN__SDF_NOTE_LOCKED] = "a joint with limits 0 and 0 is taken as fixed",
    [CARDAN__SDF_NOTE_NEGATIVE] = "damping, friction or stiffness below 0 is not used",
    [CARDAN__SDF_NOTE_CLOSED] = "a joint that closes a loop: its limit, dynamics or mimic is lost",
    [CARDAN__SDF_NOTE_TURNED] = "a ball joint met from its child: its coordinates are the parent's",
    [CARDAN__SDF_NOTE_GEARBOX] = "a gearbox without two hinges at its reference body is not used",
    [CARDAN__SDF_NOTE_SHAPE] =
        "a visual that is no solid, nor a whole mesh file in a known place, is not drawn",
    [CARDAN__SDF_NOTE_COLLISION] =
        "a collision that is no solid, plane, nor mesh file in a known place touches nothing",
    [CARDAN__SDF_NOTE_MU] = "friction is the same in all directions: mu2 is not used",
    [CARDAN__SDF_NOTE_STICKS] = "friction -1 is infinite in Gazebo: it is taken as 10"};

void cardan__sdf_say(cardan__sdf *s, cardan__sdf_note note, const cardan__xml *at)
{
  if (s->said[note].count++ == 0) {
    s->said[note].first = at;
  }
}

void cardan__sdf_add_notes(cardan__sdf *s)
{
  for (int i = 0; i < CARDAN__SDF_NOTES; i++) {
    const int more = s->said[i].count - 1;
    if (more == 0) {
      cardan__xml_note(s->spec, s->said[i].first, "%s", notes[i]);
    } else if (more > 0) {
      cardan__xml_note(s->spec, s->said[i].first, "%s, here and in %d more place%s", notes[i], more,
                       more == 1 ? "" : "s");
    }
  }
}
