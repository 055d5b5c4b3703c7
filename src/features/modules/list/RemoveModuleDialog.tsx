import { useEffect, useState } from 'react'
import { getModuleRelations, type ModuleRow } from '#contract/modules.ts'
import type { Problem } from '#contract/problem.ts'
import { findDependents } from '#domain/catalogue/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { removeModule } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

interface RemoveModuleDialogProps {
  row: OverlaidRow<ModuleRow>
  onClose: () => void
  onDone: () => void
}

interface DependentModule {
  code: string
  name: string
}

/** First what depends on it, which is in the way (contracts 4); then its code and another one are typed (M52). */
export function RemoveModuleDialog({ row: overlaidRow, onClose, onDone }: RemoveModuleDialogProps) {
  const { t } = useTranslation('modules')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { row } = overlaidRow
  const dependents = useDependents(row)
  const confirmationText = row.code || row.name

  async function remove() {
    setIsBusy(true)
    const result = await dispatch(removeModule(row.id))
    setIsBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showToast({ kind: 'done', text: tUi('message.done', { action: t('act.remove') }) })
    onDone()
  }
  const pricedDates = readPricedDates(problem)
  if (dependents === undefined || dependents.length > 0 || pricedDates)
    return (
      <Dialog open title={t('remove.title', { name: row.name })} onClose={onClose}>
        {dependents === undefined && <Skeleton lines={2} />}
        {dependents && dependents.length > 0 && (
          <>
            <p>{t('remove.needed', { count: dependents.length })}</p>
            <ul className="module-dependents">
              {dependents.map(({ code, name }) => (
                <li key={code}>
                  {name} <code>{code}</code>
                </li>
              ))}
            </ul>
            <p>{t('remove.neededHelp')}</p>
          </>
        )}
        {pricedDates && <p role="alert">{t('remove.priced', { dates: pricedDates.join(', ') })}</p>}
      </Dialog>
    )
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name: row.name })}
      value={confirmationText}
      label={t(row.code ? 'form.code' : 'form.name')}
      actionLabel={t('remove.confirm')}
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t('remove.text', { name: row.name })}</p>
    </TypedConfirmation>
  )
}

/** As the server tells it, or without a line the device. Undefined: not known yet. */
function useDependents({ code, type }: ModuleRow): DependentModule[] | undefined {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const { modules } = useCatalogue()
  const [serverDependents, setServerDependents] = useState<DependentModule[] | 'unknown'>()
  useEffect(() => {
    if (connection !== 'online' || code === '') return setServerDependents('unknown')
    let isActive = true
    void dispatch(callEndpoint(getModuleRelations, { query: { code, type } })).then((result) => {
      if (!isActive) return
      setServerDependents(
        'output' in result && result.output ? [...result.output.hidden, ...result.output.visible] : 'unknown',
      )
    })
    return () => void (isActive = false)
  }, [code, type, connection, dispatch])
  if (serverDependents !== 'unknown') return serverDependents
  if (!modules) return undefined
  const { hidden: hiddenModules, visible: visibleModules } = findDependents(modules, code)
  return [...hiddenModules, ...visibleModules]
}

/** The price lists that name it, from the refusal. */
function readPricedDates(problem: Problem | null): string[] | null {
  const data = problem?.data as { why?: unknown; effective_dates?: unknown } | null | undefined
  return data?.why === 'priced' && Array.isArray(data.effective_dates) ? data.effective_dates.map(String) : null
}
