import { useId, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { importPriceList, uploadPriceList } from '#contract/prices.ts'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { nameIn } from '#domain/text.ts'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { fileFaultWords } from '#features/prices/import/file-faults.ts'
import { Differences, type Looked } from '#features/prices/import/Differences.tsx'
import { usePriceLists } from '#features/prices/usePriceLists.ts'
import { pathOf } from '#features/prices/paths.ts'
import { priceLists } from '#features/prices/slice.ts'

interface Props {
  type: ClientType
  onClose: () => void
}

/** Looks into a .zip, shows what it would make different from a list of one's choice, and only then makes a list of it (M152). */
export function ImportDialog({ type, onClose }: Props) {
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const { line } = useConnection()
  const { lists, standingOf } = usePriceLists(type)
  const [busy, setBusy] = useState<'reading' | 'importing' | null>(null)
  const [name, setName] = useState<string | null>(null)
  const [looked, setLooked] = useState<Looked | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  async function look(file: File | undefined) {
    if (!file) return
    setName(file.name)
    setLooked(null)
    setProblem(null)
    // What a picker let through is refused here as it would be there, before it is sent.
    if (!isPriceFileName(file.name)) return setRefused(t('fault.wrongEnding'))
    setRefused(null)
    setBusy('reading')
    const result = await dispatch(callEndpoint(uploadPriceList, { body: { file } })).catch(() => null)
    setBusy(null)
    if (result && 'output' in result && result.output) return setLooked(result.output)
    const why = result?.kind === 'problem' ? result.problem : localProblem('OFFLINE')
    const [fault] = fieldProblems(why) as AnyProblem[]
    if (fault) setRefused(fileFaultWords(t, fault))
    else setProblem(why)
  }
  async function take() {
    if (!looked) return
    setBusy('importing')
    const recordName = nameIn({ ...looked.list, type: looked.type }) ?? undefined
    const options = recordName === undefined ? {} : { recordName }
    const body = { md5: looked.md5 }
    const result = await dispatch(callEndpoint(importPriceList, { body }, options)).catch(() => null)
    setBusy(null)
    if (!result || result.kind === 'problem') return setProblem(result?.problem ?? localProblem('OFFLINE'))
    const made = 'output' in result ? result.output : null
    showToast({ kind: 'done', text: words('message.done', { action: t('act.import') }) })
    onClose()
    if (!made) return
    dispatch(priceLists.rowCreated(made.id))
    void navigate(pathOf(made.id))
  }
  const fault = useId()
  const taken = looked && lists?.some((row) => !row.withdrawn && row.effective_date === looked.effective_date)
  const whyNot = () => {
    if (!looked) return t('import.choose')
    if (line !== 'online') return t('needsConnection')
    if (looked.type !== type) return t('import.otherType', { type: looked.type })
    if (looked.unknown.length > 0) return t('import.unknown', { codes: looked.unknown.join(', ') })
    return taken ? t('import.taken', { day: looked.effective_date }) : null
  }
  const barred = looked && whyNot()
  return (
    <Dialog
      open
      wide
      title={t('import.title')}
      onClose={onClose}
      act={
        <Button kind="primary" busy={busy === 'importing'} whyNot={whyNot()} onClick={() => void take()}>
          {t('act.import')}
        </Button>
      }
    >
      <div className="price-import">
        <p>{t('import.lead')}</p>
        <div className={refused ? 'field wrong' : 'field'}>
          <label className="button quiet price-file">
            <Icon name="upload" />
            <span className="button-words">{t(name === null ? 'import.file' : 'import.another')}</span>
            <input
              type="file"
              className="sr-only"
              accept=".zip"
              aria-invalid={refused ? true : undefined}
              aria-describedby={refused ? fault : undefined}
              onChange={({ target }) => {
                void look(target.files?.[0])
                // The same file can be chosen again once it was mended.
                target.value = ''
              }}
            />
          </label>
          {name !== null && <span className="price-sub">{name}</span>}
          {refused && (
            <p className="field-error" id={fault} role="alert">
              <Icon name="alert" size={16} />
              {refused}
            </p>
          )}
        </div>
        <ProblemNote problem={problem} title={t('import.failed')} />
        {busy === 'reading' && <Skeleton lines={3} />}
        {looked && (
          <>
            <p role="status">
              {t('import.holds', { day: looked.effective_date, desc: looked.desc, count: looked.module.length })}
            </p>
            {barred && (
              <p className="price-warning" role="alert">
                {barred}
              </p>
            )}
            <Differences looked={looked} lists={lists ?? []} standingOf={standingOf} />
          </>
        )}
      </div>
    </Dialog>
  )
}
