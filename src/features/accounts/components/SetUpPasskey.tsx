import { type FormEvent, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { saveFactor, type FactorSetup, startFactorSetup } from '#features/accounts/factors-api.ts'
import { createPasskey } from '#features/accounts/passkeys.ts'
import { Note } from '#features/accounts/components/Note.tsx'

/** A passkey: named first, then made in the browser's own dialog. */
export function SetUpPasskey({ setup, onAdded }: { setup: FactorSetup; onAdded: (codes: string[] | null) => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [name, setName] = useState(t('passkey.usualName'))
  const [problem, setProblem] = useState<Problem | null>(null)
  const [failure, setFailure] = useState<'refused' | 'known' | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  /** What was wrong, null for nothing. */
  async function addPasskey(): Promise<Problem | null> {
    const setupResult = await dispatch(startFactorSetup(setup, 'passkey'))
    if (setupResult.kind === 'problem') return setupResult.problem
    const options = setupResult.kind === 'fresh' ? setupResult.output.passkey : null
    const passkeyResult = await createPasskey(options ?? {})
    if (passkeyResult.kind !== 'answered') {
      setFailure(passkeyResult.kind)
      return null
    }
    const newFactor = { kind: 'passkey' as const, name: name.trim(), attestation: passkeyResult.response }
    const result = await dispatch(saveFactor(setup, newFactor))
    if (result.kind === 'problem') return result.problem
    if (result.kind === 'fresh') onAdded(result.output.recovery_codes)
    return null
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || name.trim() === '') return
    setIsBusy(true)
    setProblem(null)
    setFailure(null)
    void addPasskey().then((newProblem) => {
      setIsBusy(false)
      setProblem(newProblem)
    })
  }
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ProblemNote problem={problem} shouldFocus />
      {failure && <Note>{t(failure === 'known' ? 'passkey.known' : 'passkey.closed')}</Note>}
      <p>{t('passkey.text')}</p>
      <Field
        label={t('name')}
        help={t('nameHelp')}
        error={name.trim() === '' ? formatFieldProblem({ code: 'REQUIRED' }, t('name')) : null}
        value={name}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <Button kind="primary" type="submit" icon="key" isBusy={isBusy}>
        {t('passkey.submit')}
      </Button>
    </form>
  )
}
