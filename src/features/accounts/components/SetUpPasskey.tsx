import { type FormEvent, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import { add, type Setting, setUp } from '#features/accounts/factors-api.ts'
import { makePasskey } from '#features/accounts/passkeys.ts'
import { Note } from '#features/accounts/components/Note.tsx'

/** A passkey: named first, then made in the browser's own dialog. */
export function SetUpPasskey({ setting, onAdded }: { setting: Setting; onAdded: (codes: string[] | null) => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [name, setName] = useState(t('passkey.usualName'))
  const [problem, setProblem] = useState<Problem | null>(null)
  const [ended, setEnded] = useState<'refused' | 'known' | null>(null)
  const [busy, setBusy] = useState(false)

  /** What was wrong, null for nothing. */
  async function make(): Promise<Problem | null> {
    const begun = await dispatch(setUp(setting, 'passkey'))
    if (begun.kind === 'problem') return begun.problem
    const options = begun.kind === 'fresh' ? begun.output.passkey : null
    const made = await makePasskey(options ?? {})
    if (made.kind !== 'answered') {
      setEnded(made.kind)
      return null
    }
    const sent = { kind: 'passkey' as const, name: name.trim(), attestation: made.answer }
    const result = await dispatch(add(setting, sent))
    if (result.kind === 'problem') return result.problem
    if (result.kind === 'fresh') onAdded(result.output.recovery_codes)
    return null
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy || name.trim() === '') return
    setBusy(true)
    setProblem(null)
    setEnded(null)
    void make().then((wrong) => {
      setBusy(false)
      setProblem(wrong)
    })
  }
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ProblemNote problem={problem} focus />
      {ended && <Note>{t(ended === 'known' ? 'passkey.known' : 'passkey.closed')}</Note>}
      <p>{t('passkey.text')}</p>
      <Field
        label={t('name')}
        help={t('nameHelp')}
        error={name.trim() === '' ? fieldWords({ code: 'REQUIRED' }, t('name')) : null}
        value={name}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <Button kind="primary" type="submit" icon="key" busy={busy}>
        {t('passkey.submit')}
      </Button>
    </form>
  )
}
