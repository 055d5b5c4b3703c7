import { useState } from 'react'

/** Returns the address of an icon or change log on the server. The service worker caches loaded resources. */
export const toResourceUrl = (id: string): string => `/public/resource/${id}`

/** Shows an app's picture or, without one, the first letter of its name. The name is always displayed next to it. */
export function AppIcon({ name, src }: { name: string; src: string | null }) {
  const [source, setSource] = useState<{ src: string; isLoaded: boolean } | null>(null)
  const isKnown = src !== null && source?.src === src
  // A letter may be more than one code point.
  const [firstLetter] = new Intl.Segmenter().segment(name.trim())
  return (
    <span className="app-icon" aria-hidden="true">
      {firstLetter?.segment.toUpperCase()}
      {src !== null && (!isKnown || source.isLoaded) && (
        <img
          src={src}
          alt=""
          loading="lazy"
          // Until it is loaded, the letter below it is visible.
          data-loaded={isKnown || undefined}
          onLoad={({ currentTarget }) => setSource({ src, isLoaded: currentTarget.naturalWidth > 1 })}
          onError={() => setSource({ src, isLoaded: false })}
        />
      )}
    </span>
  )
}
