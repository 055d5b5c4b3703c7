import '#features/modules/translations.ts'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { type ModuleRow, moduleListSpec } from '#contract/modules.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { parseWholeNumber } from '#state/list-url.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ModuleForm } from '#features/modules/form/ModuleForm.tsx'
import { type ModuleKind, toModulePath } from '#features/modules/module-path.ts'
import { fetchModule } from '#features/modules/slice.ts'

export const ModulePage = () => <ModuleByAddress kind="visible" />
export const HiddenModulePage = () => <ModuleByAddress kind="hidden" />

/** One module, or the form for a new one (M136 to M139). */
function ModuleByAddress({ kind }: { kind: ModuleKind }) {
  const { id } = useParams()
  const numericId = parseWholeNumber(id ?? null, 2_147_483_647)
  const pendingId = id !== undefined && /^~[0-9a-f-]{36}$/i.test(id) ? (id as `~${string}`) : null
  if (id === undefined) return <ModuleForm key={kind} kind={kind} initialRow={null} />
  const moduleId = numericId ?? pendingId
  return moduleId === null ? (
    <MissingModule kind={kind} reason="unknown" />
  ) : (
    <ExistingModule key={id} kind={kind} id={moduleId} />
  )
}

function ExistingModule({ kind, id }: { kind: ModuleKind; id: RowRef }) {
  const { t } = useTranslation('modules')
  const { initialRow, retry } = useInitialRow(id)
  if (initialRow === undefined)
    return (
      <Page title={t('form.loading')} width="narrow">
        <Skeleton />
      </Page>
    )
  if (typeof initialRow === 'string') return <MissingModule kind={kind} reason={initialRow} />
  if ('code' in initialRow)
    return (
      <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]} width="narrow">
        <LoadProblem problem={initialRow} title={t('missing.failed')} onRetry={retry} />
      </Page>
    )
  return <ModuleForm kind={initialRow.row.hidden ? 'hidden' : 'visible'} initialRow={initialRow} />
}

function MissingModule({ kind, reason }: { kind: ModuleKind; reason: 'unknown' | 'notHere' }) {
  const { t } = useTranslation('modules')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]} width="narrow">
      <section className="card">
        <EmptyState
          icon={reason === 'unknown' ? 'module' : 'offline'}
          title={t(`missing.${reason}`)}
          action={<ButtonLink to={toModulePath(kind)}>{t('missing.back')}</ButtonLink>}
        >
          {t(`missing.${reason}Text`)}
        </EmptyState>
      </section>
    </Page>
  )
}

/**
 * The row as it stood when the page opened, and from then on that one: what comes in meanwhile must not change a form under
 * its user's hands. A row that this device does not have is asked for. Undefined: not known yet.
 */
function useInitialRow(id: RowRef): {
  initialRow: OverlaidRow<ModuleRow> | MissingReason | undefined
  retry: () => void
} {
  const { networkState: connection } = useConnection()
  const dispatch = useDispatch()
  const [initialRow, setInitialRow] = useState<OverlaidRow<ModuleRow>>()
  const [missingReason, setMissingReason] = useState<MissingReason>()
  const [attempt, setAttempt] = useState(0)
  const cachedRow = useLiveQuery(async () => await readRow<ModuleRow>(moduleListSpec.table, id), [id])
  useEffect(() => {
    if (initialRow || cachedRow === undefined) return
    if (cachedRow) return setInitialRow(cachedRow)
    let isActive = true
    void dispatch(fetchModule(id)).then((result) => {
      if (!isActive) return
      if ('output' in result && result.output) setInitialRow({ row: result.output as ModuleRow, waiting: null })
      else setMissingReason(result.kind === 'problem' ? toMissingReason(result.problem) : 'notHere')
    })
    return () => void (isActive = false)
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [initialRow, cachedRow, id, dispatch, connection, attempt])
  return { initialRow: initialRow ?? missingReason, retry: () => setAttempt(attempt + 1) }
}

type MissingReason = 'unknown' | 'notHere' | Problem

function toMissingReason(problem: Problem): MissingReason {
  if (problem.status === 404) return 'unknown'
  return isOffline(problem) ? 'notHere' : problem
}
