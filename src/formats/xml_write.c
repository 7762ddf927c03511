// SPDX-License-Identifier: Apache-2.0
#include "formats/xml_write.h"

#include <stdio.h>
#include <string.h>

#include "spatial/twist.h"

static void put_escaped(cardan__text *out, const char *text)
{
  for (; *text != '\0'; text++) {
    static const char marks[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    const char *mark = strchr(marks, *text);
    cardan__text_add(out, mark ? names[mark - marks] : text,
                     mark ? strlen(names[mark - marks]) : 1);
  }
}

void cardan__xml_put_text(cardan__text *out, const char *name, const char *text)
{
  cardan__text_printf(out, " %s=\"", name);
  put_escaped(out, text);
  cardan__text_printf(out, "\"");
}

void cardan__xml_put_numbers(cardan__text *out, const char *name, const double *value, int n)
{
  cardan__text_printf(out, " %s=\"", name);
  for (int i = 0; i < n; i++) {
    cardan__text_printf(out, i > 0 ? " " : "");
    cardan__text_number(out, value[i]);
  }
  cardan__text_printf(out, "\"");
}

void cardan__xml_put_made(cardan__text *out, const char *name, const cardan_spec *spec,
                          const char *word, int n)
{
  char made[64];
  int length = n > 0 ? snprintf(made, sizeof made, "%s-%d", word, n)
                     : snprintf(made, sizeof made, "%s", word);
  while (length + 1 < (int)sizeof made &&
         (cardan__spec_find_frame(spec, made) > 0 || cardan__spec_find_var(spec, made).frame > 0)) {
    made[length++] = '_';
    made[length] = '\0';
  }
  cardan__xml_put_text(out, name, made);
}

bool cardan__xml_rgba(const char *color, double rgba[4])
{
  unsigned rgb;
  if (color == NULL || sscanf(color, "#%6x", &rgb) != 1) {
    return false;
  }
  rgba[0] = (rgb >> 16) / 255.0;
  rgba[1] = (rgb >> 8 & 255U) / 255.0;
  rgba[2] = (rgb & 255U) / 255.0;
  rgba[3] = 1;
  return true;
}

bool cardan__xml_moves(const cardan__spec_frame *frame)
{
  return frame->form == CARDAN__FORM_JOINT || frame->var != NULL;
}

void cardan__xml_links(const cardan_spec *spec, cardan__xml_part *part)
{
  part[0] = (cardan__xml_part){.T = cardan__xform_identity(), .next = -1};
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__spec_frame *f = &spec->frame[i];
    const cardan__xml_part *up = &part[f->parent];
    const cardan_xform own = cardan__spec_fixed(f);
    cardan__xml_part *p = &part[i], *link = &part[up->link];
    *p = (cardan__xml_part){
        .link = up->link, .T = cardan__xform_mul(&up->T, &own), .next = -1, .last = i};
    if (cardan__xml_moves(f) || f->name != NULL || (f->has_mass && link->has_mass)) {
      p->link = i;
      p->T = cardan__xform_identity();
      p->has_mass = f->has_mass;
    } else {
      part[link->last].next = i;
      link->last = i;
      link->has_mass = link->has_mass || f->has_mass;
    }
  }
}

cardan_joint_def cardan__xml_joint_of(const cardan_spec *spec, const cardan__spec_frame *frame)
{
  if (frame->joint >= 0) {
    return spec->joint[frame->joint];
  }
  const int axis = (int)frame->transform % 3;
  const bool turns = frame->transform >= CARDAN_TRANSFORM_RX;
  return (cardan_joint_def){.kind = turns ? CARDAN_JOINT_REVOLUTE : CARDAN_JOINT_PRISMATIC,
                            .name = frame->var,
                            .axis = {axis == 0, axis == 1, axis == 2}};
}

/* b = ratio a, d = pitch theta; or an equation that says such a thing. */
bool cardan__xml_linear(const cardan__spec_element *element, double *work, cardan__xml_pair *pair)
{
  double form[3];
  if (element->kind != CARDAN_ELEMENT_EQUATION) {
    *pair = (cardan__xml_pair){element->var[1], element->var[0], element->value[0], 0};
    return true;
  }
  const cardan__expr *e = element->expr[0];
  if (e->uses != CARDAN__LEAVES_Q || e->nleaf != 2 || !cardan__expr_linear(e, work, form) ||
      form[1] == 0 || form[2] == 0) {
    return false;
  }
  *pair = (cardan__xml_pair){cardan__expr_leaf_name(e, 0), cardan__expr_leaf_name(e, 1),
                             -form[2] / form[1], -form[0] / form[1]};
  return true;
}

size_t cardan__xml_linear_work(const cardan_spec *spec)
{
  size_t most = 1;
  for (int i = 0; i < spec->nelement; i++) {
    const cardan__expr *e = spec->element[i].expr[0];
    const size_t n = e != NULL && e->nleaf == 2 ? 3 * (size_t)e->nins : 0;
    most = n > most ? n : most;
  }
  return most;
}

const char *cardan__xml_find_unwritable(const cardan_spec *spec, cardan_pos *pos)
{
  const char *what = NULL;
  if (spec->nkeyframe > 0) {
    *pos = spec->keyframe[0].pos;
    what = "(keyframe ..)";
  } else if (spec->nstate > 0) {
    *pos = spec->state[0].pos;
    what = "auxiliary states, (state ..) and (memory ..)";
  } else if (spec->ncontroller > 0) {
    *pos = spec->controller[0].pos;
    what = "(controller ..)";
  } else if (spec->noutput > 0) {
    *pos = spec->output[0].pos;
    what = "(output ..)";
  }
  return what;
}
