import type { Id } from '#contract/endpoint.ts'

const bases = { visible: '/app/m18/module', hidden: '/app/m18/automodule' } as const
export type Kind = keyof typeof bases

/** Of the list, of one module, or of the form for a new one. */
export const pathOf = (kind: Kind, id?: Id | 'new'): string => (id === undefined ? bases[kind] : `${bases[kind]}/${id}`)
