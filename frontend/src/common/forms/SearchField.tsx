import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef } from "react";

/** Search field. It writes the input into the address after a short delay, and follows changes of the address. */
export function SearchField({
  label,
  placeholder,
  q,
  setQ,
  className,
}: {
  label: string;
  placeholder: string;
  q: string;
  setQ: (q: string) => void;
  className?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const search = useDebouncedCallback(setQ, 250);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = q;
  }, [q]);
  return (
    <TextInput
      ref={field}
      aria-label={label}
      placeholder={placeholder}
      defaultValue={q}
      onChange={(event) => search(event.currentTarget.value)}
      className={className}
    />
  );
}
