import { type ComponentType, lazy, useState } from 'react'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import type { PageModule } from '#app/routes/page-module.ts'

export interface LazyPage {
  Page: ComponentType
  /** Fetches it before it is drawn; once. Resolves when it can be drawn, or when that will not be. */
  prepare: () => Promise<void>
}

/** A page whose code and texts are fetched together, when it is first asked for or a moment before. */
export function createLazyPage({ load, namespaces }: PageModule): LazyPage {
  let loadedComponent: ComponentType | undefined
  const fetchPage = async () => {
    const [component] = await Promise.all([load(), loadPageMessages(...namespaces)])
    loadedComponent = component
    return { default: component }
  }
  let pagePromise: ReturnType<typeof fetchPage> | undefined
  const fetchOnce = () => (pagePromise ??= fetchPage())
  const LazyComponent = lazy(fetchOnce)
  function Page() {
    // What is here is drawn as it is: React shows a placeholder for 300 ms at least, even for a file that is at hand.
    const [PageComponent] = useState<ComponentType>(() => loadedComponent ?? LazyComponent)
    return <PageComponent />
  }
  // What fails here is asked for again by React, which shows the failure.
  const prepare = () => fetchOnce().then(ignore, ignore)
  return { Page, prepare }
}

const ignore = () => undefined
