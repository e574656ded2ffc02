import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";
import { text } from "@/common/text";

const teal: MantineColorsTuple = [
  "#e6f5f8",
  "#cfe6ec",
  "#a9cfd8",
  "#69aebf",
  "#4299ad",
  "#2a8ca2",
  "#0b7188",
  "#096479",
  "#07586b",
  "#04414f",
];

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#566265",
    "--mantine-color-placeholder": "#667276",
    "--mantine-color-error": "#b3261e",
  },
  dark: {
    "--mantine-color-dimmed": "#a3b0b4",
    "--mantine-color-placeholder": "#93a0a4",
    "--mantine-color-error": "#ff8f86",
    "--mantine-color-anchor": "#69aebf",
  },
});

/** Text colours on tinted backgrounds with a contrast of at least 4.5, which Mantine's own do not have for small text. */
const readable: VariantColorsResolver = (input) => {
  const found = defaultVariantColorsResolver(input);
  const color = input.color ?? input.theme.primaryColor;
  if (!["light", "subtle", "outline"].includes(input.variant) || !(color in input.theme.colors)) return found;
  return {
    ...found,
    color: `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9) 78%, black), var(--mantine-color-${color}-2))`,
  };
};

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 6, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.25,
  variantColorResolver: readable,
  colors: { teal },
  defaultRadius: "sm",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "1.35rem" }, h2: { fontSize: "1.1rem" }, h3: { fontSize: "1rem" } },
  },
  components: {
    Badge: { defaultProps: { miw: "max-content" } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: "sm" } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": text.close } } },
    Modal: { defaultProps: { centered: true } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, withArrow: true } },
  },
});
