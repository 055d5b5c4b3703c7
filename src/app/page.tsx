import { type ComponentType, lazy, type ReactElement } from 'react'
import { loadWords } from '#app/i18n.ts'
import type { Namespace } from '#ui/words.ts'

/** A page whose code and texts are fetched together when it is first asked for. */
export function page(load: () => Promise<ComponentType>, ...words: Namespace[]): ReactElement {
  const Page = lazy(async () => {
    const [component] = await Promise.all([load(), loadWords(...words)])
    return { default: component }
  })
  return <Page />
}
