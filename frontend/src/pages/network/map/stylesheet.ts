// Cytoscape's stylesheet for a palette. Sizes are in pixels of the screen at any zoom.

import type { StylesheetJson } from "cytoscape";
import { type Fill, LOAD_WIDTHS, type Palette } from "../model/scales";

const SHAPES: Record<Fill, string> = {
  unlimited: "ellipse",
  low: "ellipse",
  half: "ellipse",
  high: "hexagon",
  full: "diamond",
};

/** Create the stylesheet; `scale` is the number of units of the drawing per pixel of the screen. */
export function stylesheet(palette: Palette, scale: number): StylesheetJson {
  const px = (pixels: number) => pixels * scale;
  const fills = (Object.keys(SHAPES) as Fill[]).map((name) => ({
    selector: `node.fill-${name}`,
    style: {
      shape: SHAPES[name],
      "border-color": palette.fill[name],
      "pie-1-background-color": palette.fill[name],
    },
  }));
  const loads = palette.load.map((color, level) => ({
    selector: `edge.load-${level}`,
    style: { "line-color": color, width: px(LOAD_WIDTHS[level] ?? 1.5) },
  }));
  const sheet = [
    {
      selector: "node",
      style: {
        width: px(26),
        height: px(26),
        "background-color": palette.ground,
        "border-width": px(2.5),
        "pie-size": "76%",
        "pie-1-background-size": "data(share)",
        label: "data(label)",
        color: palette.text,
        "font-size": px(11),
        "font-family": "system-ui, sans-serif",
        "text-wrap": "wrap",
        "text-valign": "bottom",
        "text-margin-y": px(3),
        "text-outline-color": palette.ground,
        "text-outline-width": px(1.5),
        "overlay-opacity": 0,
        "underlay-padding": px(7),
      },
    },
    ...fills,
    { selector: "node.label-above", style: { "text-valign": "top", "text-margin-y": px(-3) } },
    {
      selector: "node.label-right",
      style: { "text-valign": "center", "text-halign": "right", "text-margin-y": 0, "text-margin-x": px(3) },
    },
    {
      selector: "node.label-left",
      style: { "text-valign": "center", "text-halign": "left", "text-margin-y": 0, "text-margin-x": px(-3) },
    },
    { selector: "node.fill-full", style: { width: px(32), height: px(32), "border-width": px(3.5) } },
    {
      selector: "node.away, node.down",
      style: { "border-style": "dashed", "background-color": palette.faint },
    },
    { selector: "node.down", style: { "border-color": palette.down, "pie-1-background-size": 0 } },
    {
      selector: "node.group",
      style: {
        shape: "round-rectangle",
        width: px(34),
        height: px(26),
        "pie-1-background-size": 0,
        "background-color": palette.faint,
        "text-valign": "center",
        "text-margin-y": 0,
        "text-outline-width": 0,
        "font-weight": "bold",
      },
    },
    { selector: "node.middling", style: { width: px(44), height: px(34) } },
    { selector: "node.large", style: { width: px(56), height: px(44) } },
    { selector: "node.troubled", style: { "border-style": "dashed", "border-color": palette.down } },
    {
      selector: "node.host",
      style: {
        shape: "rectangle",
        width: px(10),
        height: px(10),
        "border-width": px(1.5),
        "border-color": palette.line,
        "font-size": px(10),
      },
    },
    {
      selector: "edge",
      style: {
        width: px(1.5),
        "line-color": palette.line,
        "curve-style": "straight",
        color: palette.text,
        "font-size": px(11),
        label: "data(label)",
        "text-background-color": palette.ground,
        "text-background-opacity": 0.9,
        "text-background-padding": `${px(1)}px`,
        "overlay-opacity": 0,
        "arrow-scale": 1.1 * Math.max(scale, 0.4),
      },
    },
    ...loads,
    { selector: "edge.parallel", style: { "curve-style": "bezier", "control-point-step-size": px(16) } },
    {
      selector: "edge.down",
      style: {
        "line-color": palette.down,
        "line-style": "dashed",
        "line-dash-pattern": [px(6), px(4)],
        width: px(2),
      },
    },
    { selector: "edge.host-link", style: { width: px(1), "line-color": palette.line } },
    { selector: "edge.in-tree", style: { "line-color": palette.tree, width: px(4) } },
    {
      selector: "node.root",
      style: { "underlay-opacity": 0.35, "underlay-color": palette.tree, "underlay-shape": "ellipse" },
    },
    { selector: "edge.path", style: { "line-color": palette.path, width: px(4), "font-weight": "bold" } },
    {
      selector: "edge.path-on",
      style: { "target-arrow-shape": "triangle", "target-arrow-color": palette.path },
    },
    {
      selector: "edge.path-back",
      style: { "source-arrow-shape": "triangle", "source-arrow-color": palette.path },
    },
    {
      selector: "node.host.on-path",
      style: { "background-color": palette.path, "border-color": palette.path },
    },
    { selector: "edge.host-link.on-path", style: { "line-color": palette.path, width: px(2.5) } },
    { selector: ".faded", style: { opacity: 0.28 } },
    {
      selector: "node.selected",
      style: { "underlay-opacity": 0.35, "underlay-color": palette.accent, "underlay-shape": "ellipse" },
    },
    {
      selector: "edge.selected",
      style: { "underlay-opacity": 0.4, "underlay-color": palette.accent, "underlay-padding": px(5) },
    },
  ];
  return sheet as unknown as StylesheetJson;
}
