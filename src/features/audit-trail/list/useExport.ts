import { useState } from 'react'
import { createLocalProblem } from '#contract/problem.ts'
import type { DownloadedFile, CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { downloadBytes } from '#ui/display/download-text.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { toFilterQuery, type TrailView } from '#features/audit-trail/list/trail-view.ts'

export type ExportFormat = 'csv' | 'xlsx'

const fetchExport =
  (format: ExportFormat, view: TrailView): AppThunk<CallResult<DownloadedFile>> =>
  async (_dispatch, _getState, { loadTrailActions }) => {
    const [sortField, sortOrder] = view.sort
    const input = { query: { format, sortField, sortOrder, ...toFilterQuery(view) } }
    // Code that cannot be fetched is as out of reach as the server.
    const trailActions = await loadTrailActions().catch(() => null)
    return trailActions ? trailActions.download(input) : { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  }

/** Exactly what is filtered, in the order of the list, as one file: the server's, or without it CSV of what is kept on this device. */
export function useExport(view: TrailView) {
  const { t } = useTranslation('audit')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  async function save(format: ExportFormat) {
    setIsBusy(true)
    const replaces = t('export.begun')
    showToast({ kind: 'note', text: replaces })
    const result = await dispatch(fetchExport(format, view))
    setIsBusy(false)
    if (result.kind === 'fresh') {
      const name = result.output.name ?? `audit-trail.${format}`
      downloadBytes(result.output.bytes, name)
      showToast({ kind: 'done', text: t('export.done', { name }), replaces })
    } else if (result.kind === 'cached' && result.output) {
      const { bytes, name } = result.output
      downloadBytes(bytes, name ?? 'audit-trail.csv')
      const { days } = result
      const text = days ? t('export.keptSince', { name, date: days.from }) : t('export.kept', { name })
      showToast({ kind: days ? 'note' : 'done', text, replaces })
    } else if (result.kind === 'problem')
      showToast({ kind: 'failed', text: `${t('export.failed')} ${formatProblem(result.problem)}`, replaces })
  }
  return { isBusy, save: (format: ExportFormat) => void save(format) }
}
