import type { RowRef } from '#contract/endpoint.ts'
import type { ModuleRow } from '#contract/modules.ts'

const listPaths = { visible: '/app/m18/module', hidden: '/app/m18/automodule' } as const
export type ModuleKind = keyof typeof listPaths

export const toModulePath = (kind: ModuleKind, id?: RowRef | 'new'): string =>
  id === undefined ? listPaths[kind] : `${listPaths[kind]}/${id}`

export const toRowPath = ({ hidden, id }: Pick<ModuleRow, 'hidden' | 'id'>): string =>
  toModulePath(hidden ? 'hidden' : 'visible', id)
