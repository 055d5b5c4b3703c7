/** Parameters of the app history in its address (C-01): search, order and page. */
import { listAppHistory } from '#contract/staff/apps.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import { defineListView } from '#state/list-url.ts'

export const appHistoryView = defineListView(listAppHistory.list as ListSpec, {})
