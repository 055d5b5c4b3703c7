import type { ComponentType } from 'react'
import type { MessageNamespace } from '#ui/i18n/messages.ts'

export interface PageModule {
  load: () => Promise<ComponentType>
  namespaces: readonly MessageNamespace[]
}
