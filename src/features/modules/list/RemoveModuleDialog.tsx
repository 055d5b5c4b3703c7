import { useEffect, useState } from 'react'
import { getModuleRelations, type ModuleRow } from '#contract/modules.ts'
import type { Problem } from '#contract/problem.ts'
import { dependentsOf } from '#domain/catalogue/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { removeModule } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

interface Props {
  shown: OverlaidRow<ModuleRow>
  onClose: () => void
  onDone: () => void
}

interface Named {
  code: string
  name: string
}

/** First what depends on it, which is in the way (contracts 4); then its code and another one are typed (M52). */
export function RemoveModule({ shown, onClose, onDone }: Props) {
  const { t } = useTranslation('modules')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { row } = shown
  const needing = useDependents(row)
  const value = row.code || row.name

  async function remove() {
    setBusy(true)
    const result = await dispatch(removeModule(row.id))
    setBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else showToast({ kind: 'done', text: words('message.done', { action: t('act.remove') }) })
    onDone()
  }
  const dates = pricedIn(problem)
  if (needing === undefined || needing.length > 0 || dates)
    return (
      <Dialog open title={t('remove.title', { name: row.name })} onClose={onClose}>
        {needing === undefined && <Skeleton lines={2} />}
        {needing && needing.length > 0 && (
          <>
            <p>{t('remove.needed', { count: needing.length })}</p>
            <ul className="module-dependents">
              {needing.map(({ code, name }) => (
                <li key={code}>
                  {name} <code>{code}</code>
                </li>
              ))}
            </ul>
            <p>{t('remove.neededHelp')}</p>
          </>
        )}
        {dates && <p role="alert">{t('remove.priced', { dates: dates.join(', ') })}</p>}
      </Dialog>
    )
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name: row.name })}
      value={value}
      label={t(row.code ? 'form.code' : 'form.name')}
      action={t('remove.confirm')}
      busy={busy}
      problem={problem}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t('remove.text', { name: row.name })}</p>
    </TypedConfirmation>
  )
}

/** As the server tells it, or without a line the device. Undefined: not known yet. */
function useDependents({ code, type }: ModuleRow): Named[] | undefined {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const { modules } = useCatalogue()
  const [told, setTold] = useState<Named[] | 'unknown'>()
  useEffect(() => {
    if (line !== 'online' || code === '') return setTold('unknown')
    let counts = true
    void dispatch(callEndpoint(getModuleRelations, { query: { code, type } })).then((result) => {
      if (!counts) return
      setTold('output' in result && result.output ? [...result.output.hidden, ...result.output.visible] : 'unknown')
    })
    return () => void (counts = false)
  }, [code, type, line, dispatch])
  if (told !== 'unknown') return told
  if (!modules) return undefined
  const { hidden, visible } = dependentsOf(modules, code)
  return [...hidden, ...visible]
}

/** The price lists that name it, from the refusal. */
function pricedIn(problem: Problem | null): string[] | null {
  const data = problem?.data as { why?: unknown; effective_dates?: unknown } | null | undefined
  return data?.why === 'priced' && Array.isArray(data.effective_dates) ? data.effective_dates.map(String) : null
}
