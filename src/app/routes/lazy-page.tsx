import { type ComponentType, lazy, useState } from 'react'
import { loadWords } from '#app/i18n/i18n.ts'
import type { PageModule } from '#app/routes/page-module.ts'

export interface LazyPage {
  Page: ComponentType
  /** Fetches it before it is drawn; once. Resolves when it can be drawn, or when that will not be. */
  start: () => Promise<void>
}

/** A page whose code and texts are fetched together, when it is first asked for or a moment before. */
export function page({ load, words }: PageModule): LazyPage {
  let here: ComponentType | undefined
  const fetchBoth = async () => {
    const [component] = await Promise.all([load(), loadWords(...words)])
    here = component
    return { default: component }
  }
  let started: ReturnType<typeof fetchBoth> | undefined
  const fetchOnce = () => (started ??= fetchBoth())
  const Later = lazy(fetchOnce)
  function Page() {
    // What is here is drawn as it is: React shows a placeholder for 300 ms at least, even for a file that is at hand.
    const [Drawn] = useState<ComponentType>(() => here ?? Later)
    return <Drawn />
  }
  // What fails here is asked for again by React, which shows the failure.
  const start = () => fetchOnce().then(nothing, nothing)
  return { Page, start }
}

const nothing = () => undefined
