import '#ui/progress.css'

/** How far something is, in hundredths. Always named; the figure beside it is the caller's. */
export function ProgressBar({ label, percent }: { label: string; percent: number }) {
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect width={percent} height="4" />
      </svg>
    </div>
  )
}
