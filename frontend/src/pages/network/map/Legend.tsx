import { Group, Text, useComputedColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { LOAD_WIDTHS, PALETTES } from "../model/scales";
import { text } from "../text";
import { ClassMark } from "./FillMark";

const { legend: texts } = text;

/** Meanings of the shapes, colours and lines of the drawing. */
export function Legend({ tree, path }: { tree: boolean; path: boolean }) {
  const palette = PALETTES[useComputedColorScheme("light")];
  return (
    <Group gap="2px 14px" aria-label={texts.label} role="group" visibleFrom="sm">
      <Kind>{texts.tables}</Kind>
      <Entry mark={<ClassMark kind="low" share={0.3} />}>{texts.low}</Entry>
      <Entry mark={<ClassMark kind="half" share={0.6} />}>{texts.half}</Entry>
      <Entry mark={<ClassMark kind="high" share={0.85} />}>{texts.high}</Entry>
      <Entry mark={<ClassMark kind="full" share={1} />}>{texts.full}</Entry>
      <Entry mark={<ClassMark kind="unlimited" share={0} />}>{text.unlimited}</Entry>
      <Entry mark={<ClassMark kind="low" share={0} state="away" />}>{texts.notConnected}</Entry>
      <Kind>{texts.links}</Kind>
      {texts.loads.map((name, level) => (
        <Entry key={name} mark={<Line color={palette.load[level] ?? ""} width={LOAD_WIDTHS[level] ?? 1} />}>
          {name}
        </Entry>
      ))}
      <Entry mark={<Line color={palette.down} width={2} dashed />}>{text.down}</Entry>
      {tree && <Entry mark={<Line color={palette.tree} width={4} />}>{texts.tree}</Entry>}
      {path && <Entry mark={<Line color={palette.path} width={4} />}>{texts.path}</Entry>}
    </Group>
  );
}

function Kind({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" fw={600} span>
      {children}
    </Text>
  );
}

function Entry({ mark, children }: { mark: ReactNode; children: ReactNode }) {
  return (
    <Group gap={5} wrap="nowrap">
      {mark}
      <Text size="xs" c="dimmed" span>
        {children}
      </Text>
    </Group>
  );
}

function Line({ color, width, dashed = false }: { color: string; width: number; dashed?: boolean }) {
  return (
    <svg width={26} height={10} aria-hidden="true">
      <path d="M1 5H25" stroke={color} strokeWidth={width} strokeDasharray={dashed ? "5 4" : undefined} />
    </svg>
  );
}
