/** Placeholder while data is loading. Appears after 150 ms, so that fast responses do not flicker (C-10). */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

/** Keeps the space of a card while its code or its data is loading. */
export const SkeletonCard = ({ lines = 5, className = '' }: { lines?: number; className?: string }) => (
  <div className={`card ${className}`}>
    <Skeleton lines={lines} />
  </div>
)
