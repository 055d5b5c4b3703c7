/** Parameters of the two lists in their addresses (C-01). All pages of the staff share one client type. */
import type { ListSpec } from '#contract/endpoint.ts'
import { moduleListSpec } from '#contract/modules.ts'
import { defineListView } from '#state/list-url.ts'
import { choice } from '#state/view-fields.ts'

/** Modules that customers choose, modules that are added automatically, or both (M136). */
export const kindFilters = ['visible', 'hidden', 'all'] as const
export type ModuleKindFilter = (typeof kindFilters)[number]

const defineModulesView = (defaultKind: ModuleKindFilter) =>
  defineListView(moduleListSpec as ListSpec, {
    kindFilter: choice(kindFilters, {
      defaultValue: defaultKind,
      param: 'shown',
      isScope: true,
      toQuery: (kind) => (kind === 'all' ? {} : { hidden: kind === 'hidden' }),
    }),
  })

export const modulesView = defineModulesView('visible')
export const hiddenModulesView = defineModulesView('hidden')
export type ModulesView = (typeof modulesView)['defaultView']
