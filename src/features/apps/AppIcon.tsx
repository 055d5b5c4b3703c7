import { useState } from 'react'

/** Where the server shows an icon or a change log; the worker keeps what was once seen. */
export const resourceAt = (id: string): string => `/public/resource/${id}`

/** An app's picture; its first letter where there is none, or where it cannot be had now. The name stands beside. */
export function AppIcon({ name, src }: { name: string; src: string | null }) {
  const [missed, setMissed] = useState<string | null>(null)
  // A letter may be more than one code point.
  const [first] = new Intl.Segmenter().segment(name.trim())
  return (
    <span className="app-icon" aria-hidden="true">
      {first?.segment.toUpperCase()}
      {src !== null && src !== missed && <img src={src} alt="" loading="lazy" onError={() => setMissed(src)} />}
    </span>
  )
}
