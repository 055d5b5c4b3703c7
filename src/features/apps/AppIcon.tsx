import { useState } from 'react'

/** Where the server shows an icon or a change log; the worker keeps what was once seen. */
export const toResourceUrl = (id: string): string => `/public/resource/${id}`

/** An app's picture; its first letter where there is none, or where it cannot be had now. The name stands beside. */
export function AppIcon({ name, src }: { name: string; src: string | null }) {
  const [failedSource, setFailedSource] = useState<string | null>(null)
  // A letter may be more than one code point.
  const [firstLetter] = new Intl.Segmenter().segment(name.trim())
  return (
    <span className="app-icon" aria-hidden="true">
      {firstLetter?.segment.toUpperCase()}
      {src !== null && src !== failedSource && (
        <img src={src} alt="" loading="lazy" onError={() => setFailedSource(src)} />
      )}
    </span>
  )
}
