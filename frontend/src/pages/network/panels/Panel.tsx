import classes from "../network.module.css";
import { text } from "../text";
import { HostPanel } from "./HostPanel";
import { LinkPanel } from "./LinkPanel";
import type { PanelProps } from "./PanelHead";
import { SwitchPanel } from "./SwitchPanel";

/** Details of the selected switch, link or host. */
export function Panel(props: PanelProps) {
  const { selection, onClose } = props;
  return (
    <section
      className={`${classes.box} ${classes.panel}`}
      aria-label={text.details}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onClose();
      }}
      data-panel-of={selection.kind}
    >
      {selection.kind === "switch" && <SwitchPanel key={selection.name} {...props} name={selection.name} />}
      {selection.kind === "link" && <LinkPanel key={selection.id} {...props} id={selection.id} />}
      {selection.kind === "host" && <HostPanel key={selection.name} {...props} name={selection.name} />}
    </section>
  );
}
