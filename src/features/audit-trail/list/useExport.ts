import { createLocalProblem } from '#contract/problem.ts'
import type { DownloadedFile, CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { downloadBytes } from '#ui/display/download-text.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { trailView, type TrailView } from '#features/audit-trail/list/trail-view.ts'

export type ExportFormat = 'csv' | 'xlsx'

const fetchExport =
  (view: TrailView) =>
  (format: ExportFormat): AppThunk<CallResult<DownloadedFile>> =>
  async (_dispatch, _getState, { loadTrailActions }) => {
    const [sortField, sortOrder] = view.sort
    const input = { query: { format, sortField, sortOrder, ...trailView.toFilterQuery(view) } }
    // Code that cannot be loaded is reported like an unreachable server.
    const trailActions = await loadTrailActions().catch(() => null)
    return trailActions ? trailActions.download(input) : { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  }

/** Saves the filtered entries in list order as one file: from the server or, offline, the stored days as CSV. */
export function useExport(view: TrailView) {
  const { t } = useTranslation('audit')
  const { isBusy, run } = useAction(fetchExport(view))
  async function save(format: ExportFormat) {
    const replaces = t('export.begun')
    showToast({ kind: 'note', text: replaces })
    const result = await run(format)
    if (result.kind === 'problem')
      return showToast({ kind: 'failed', text: `${t('export.failed')} ${formatProblem(result.problem)}`, replaces })
    if (!('output' in result) || !result.output) return
    const { bytes, name: fileName } = result.output
    const isFresh = result.kind === 'fresh'
    const name = fileName ?? (isFresh ? `audit-trail.${format}` : 'audit-trail.csv')
    downloadBytes(bytes, name)
    if (isFresh) return showToast({ kind: 'done', text: t('export.done', { name }), replaces })
    const { days } = result
    const text = days ? t('export.keptSince', { name, date: days.from }) : t('export.kept', { name })
    showToast({ kind: days ? 'note' : 'done', text, replaces })
  }
  return { isBusy, save: (format: ExportFormat) => void save(format) }
}
