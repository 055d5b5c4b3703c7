import { type ComponentType, lazy, useState } from 'react'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import type { PageModule } from '#app/routes/page-module.ts'

export interface LazyPage {
  Page: ComponentType
  /** Loads the page before it is rendered, once. Resolves when it can be rendered, or when loading has failed. */
  prepare: () => Promise<void>
}

/** Creates a page whose code and texts are loaded together, on first use or shortly before. */
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
    // A loaded page is rendered directly. React shows a placeholder for at least 300 ms, even if the code is already loaded.
    const [PageComponent] = useState<ComponentType>(() => loadedComponent ?? LazyComponent)
    return <PageComponent />
  }
  // A failure is ignored here. React gets the same failure when it renders the page, and shows the error.
  const prepare = () => fetchOnce().then(ignore, ignore)
  return { Page, prepare }
}

const ignore = () => undefined
