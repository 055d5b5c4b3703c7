import { useState } from 'react'

/** Returns the address of an icon or change log on the server. The service worker caches loaded resources. */
export const toResourceUrl = (id: string): string => `/public/resource/${id}`

/** Shows an app's picture or, without one, the first letter of its name. The name is always displayed next to it. */
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
