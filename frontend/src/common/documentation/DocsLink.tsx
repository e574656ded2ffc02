import { Anchor, Drawer, Loader } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { text } from "@/common/text";
import type { Place } from "./place";

const DocsPart = lazy(async () => ({ default: (await import("./DocsPart")).DocsPart }));

/** Link that opens a part of the documentation in a drawer. `to` is for example "monitoring.md, Audits". */
export function DocsLink({ to, children = text.documentation.link }: { to: string; children?: string }) {
  const [page = "", heading = ""] = to.split(", ");
  const [place, setPlace] = useState<Place | null>(null);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setPlace({ page, heading })}>
        {children}
      </Anchor>
      <DocsDrawer place={place} go={setPlace} />
    </>
  );
}

/** Drawer with a part of the documentation; closed while `place` is null. */
export function DocsDrawer({ place, go }: { place: Place | null; go: (place: Place | null) => void }) {
  return (
    <Drawer
      opened={place !== null}
      onClose={() => go(null)}
      position="right"
      size="xl"
      title={place && text.documentation.title(place.page)}
      closeButtonProps={{ "aria-label": text.close }}
    >
      <Suspense fallback={<Loader role="status" size="sm" aria-label={text.loading} />}>
        {place && <DocsPart place={place} go={go} />}
      </Suspense>
    </Drawer>
  );
}
