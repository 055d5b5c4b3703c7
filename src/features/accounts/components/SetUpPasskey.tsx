import { type FormEvent, useState } from 'react'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { addPasskey, type FactorSetup } from '#features/accounts/factor-setup.ts'
import { Note } from '#features/accounts/components/Note.tsx'

export function SetUpPasskey({ setup, onAdded }: { setup: FactorSetup; onAdded: (codes: string[] | null) => void }) {
  const { t } = useTranslation('factors')
  const [name, setName] = useState(t('passkey.usualName'))
  const [failure, setFailure] = useState<'refused' | 'known' | null>(null)
  const { run, isBusy, problem } = useAction((passkeyName: string) => addPasskey(setup, passkeyName))

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy || name.trim() === '') return
    setFailure(null)
    const result = await run(name.trim())
    if (result.kind !== 'fresh') return
    if ('failure' in result.output) setFailure(result.output.failure)
    else onAdded(result.output.recovery_codes)
  }
  return (
    <form className="form" noValidate onSubmit={(event) => void submit(event)}>
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
