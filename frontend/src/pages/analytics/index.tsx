import { PageHeader } from "@/common/PageHeader";

export function Component() {
  return <PageHeader title="Analytics" />;
}
