/* SPDX-License-Identifier: Apache-2.0
 * formats/urdf.h - the inside of the URDF reader, shared by its files.
 *
 * URDF: links, and joints between them, that make a tree. A link is a frame of its name; what has
 * a place in it (mass, shapes, the joints that leave it) is placed there. Failures mark the spec.
 */
#pragma once
#include "base/text.h"
#include "formats/collision.h"
#include "formats/xml_spec.h"

typedef struct {
  const char *name;
  cardan__xml *xml;
  int frame;  // of the spec
  int parent; // joint that it hangs on, -1: none
  int joint;  // first of the joints that leave it, -1: none
  double mu;  // friction of its collisions, where has_mu
  bool has_mu;
} cardan__urdf_link;

typedef struct {
  const char *name;
  cardan__xml *xml;
  int parent, child; // links
  int next;          // of the same parent, -1: the last
  // once it is in the spec:
  int nq;        // its coordinates
  int follows;   // joint that it mimics, -1: none
  int walk;      // along such joints that met it, 0: none
  double effort; // of its <limit>, 0: not said
  bool driven;   // by a transmission
} cardan__urdf_joint;

typedef struct {
  cardan_spec *spec;
  cardan__xml *robot;
  cardan__urdf_link *link;
  cardan__urdf_joint *joint;
  int nlink, njoint;
  bool free_base, base_given;
  cardan__names links, joints;
  cardan__names materials; // of the robot, by name: index into material
  cardan__xml **material;
  cardan__mesh_remarks meshes;
} cardan__urdf;

/* <origin xyz rpy>: a frame placed in another; that one itself where there is nothing to place. */
int cardan__urdf_place(cardan__urdf *u, int frame, const cardan__xml *element);

/* ---- urdf_link.c: mass and shapes of a link ---- */
void cardan__urdf_add_inertial(cardan__urdf *u, int frame, cardan__xml *link);
void cardan__urdf_add_visuals(cardan__urdf *u, int frame, const cardan__xml *link);
void cardan__urdf_add_collisions(cardan__urdf *u, const cardan__urdf_link *link);

/* Friction of links: <gazebo reference><mu1>. false after a failure */
bool cardan__urdf_read_frictions(cardan__urdf *u);

/* ---- urdf_joint.c: a joint, what acts along it, the frame behind it; -1 after a failure ---- */
int cardan__urdf_add_joint(cardan__urdf *u, cardan__urdf_joint *joint);

/* ---- urdf_drive.c: what couples and drives joints, when all of them are there ---- */
void cardan__urdf_add_mimics(cardan__urdf *u);
void cardan__urdf_add_transmissions(cardan__urdf *u);

/* ---- urdf_write.c: as cardan__format.write ---- */
cardan_status cardan__urdf_write(const cardan_spec *spec, cardan__text *out, cardan_report *report);
