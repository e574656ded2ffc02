import { useParams } from "react-router";
import { PageHeader } from "@/common/PageHeader";

export function Component() {
  const { name = "" } = useParams();
  return <PageHeader title={name} />;
}
