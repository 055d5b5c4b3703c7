import { type ComponentType, lazy } from 'react'
import { loadWords } from '#app/i18n.ts'
import type { Namespace } from '#ui/words.ts'

export interface LazyPage {
  Page: ComponentType
  /** Fetches it before it is drawn; once. */
  start: () => void
}

/** A page whose code and texts are fetched together, when it is first asked for or a moment before. */
export function page(load: () => Promise<ComponentType>, ...words: Namespace[]): LazyPage {
  const fetchBoth = async () => {
    const [component] = await Promise.all([load(), loadWords(...words)])
    return { default: component }
  }
  let started: ReturnType<typeof fetchBoth> | undefined
  const fetchOnce = () => (started ??= fetchBoth())
  // What fails here is asked for again by React, which shows the failure.
  return { Page: lazy(fetchOnce), start: () => void fetchOnce().catch(() => undefined) }
}
