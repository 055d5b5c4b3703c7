import { EmptyState } from '#ui/list/EmptyState.tsx'

/** The device does not have it. It needs no button: it is fetched when the connection is back. */
export const OfflineCard = ({ title, text }: { title: string; text: string }) => (
  <section className="card">
    <EmptyState icon="offline" title={title}>
      <p>{text}</p>
    </EmptyState>
  </section>
)
