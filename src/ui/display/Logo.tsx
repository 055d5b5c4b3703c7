/** The product logo, a lit doorway. The same drawing as public/icons/src/icon.svg. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 512 512" aria-hidden="true" focusable="false">
      <rect className="mark-ground" width="512" height="512" rx="112" />
      <path className="mark-gate" d="M134 404V248a122 122 0 0 1 244 0v156" />
      <path className="mark-door" d="M212 404V252a44 44 0 0 1 88 0v152Z" />
    </svg>
  )
}
