/** A page as it is loaded: its code and the messages it needs. */
import type { ComponentType } from 'react'
import type { MessageNamespace } from '#ui/i18n/messages.ts'

/** A page before it is drawn: where its code is, and which texts it shows beside those of every page. */
export interface PageModule {
  load: () => Promise<ComponentType>
  namespaces: readonly MessageNamespace[]
}
