/** Part of the documentation: a page by its path below `docs/`, and the heading of a section. */
export interface Place {
  page: string;
  heading: string;
}
