/**
 * The password once more, above whatever asked for it, which waits and goes on (S-48). Nothing of it is kept or queued.
 * A root of its own: any page may need it, and none carries it along.
 */
import '#features/accounts/factor-words.ts'
import { type FormEvent, useId, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { confirmPassword } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import type { Api } from '#request/results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { PasswordField } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '#ui/i18n/i18n.ts'
import { fieldWords } from '#ui/i18n/problem-messages.ts'

let open: Promise<boolean> | null = null

/** One question for all who wait for it. False: it was closed. */
export const stepUp = (api: Api): Promise<boolean> => (open ??= ask(api).finally(() => (open = null)))

async function ask(api: Api): Promise<boolean> {
  await loadTexts('problem', 'fields')
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  const isGiven = await new Promise<boolean>((resolve) => root.render(<StepUp api={api} onEnd={resolve} />))
  root.unmount()
  place.remove()
  return isGiven
}

function StepUp({ api, onEnd }: { api: Api; onEnd: (isGiven: boolean) => void }) {
  const { t } = useTranslation('factors')
  const form = useId()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [empty, setEmpty] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const label = t('prove.password.label')
  const isWrong = problem?.code === 'MFA_INVALID'
  async function send() {
    setBusy(true)
    setProblem(null)
    const result = await api.call(confirmPassword, { body: { password: typed } })
    setBusy(false)
    if (result.kind !== 'problem') return onEnd(true)
    setProblem(result.problem)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmpty(typed === '')
    if (typed !== '' && !busy) void send()
  }
  const act = (
    <Button kind="primary" type="submit" form={form} busy={busy}>
      {t('confirm.submit')}
    </Button>
  )
  return (
    <Dialog open title={t('confirm.title')} onClose={() => onEnd(false)} act={act}>
      <form id={form} className="form" noValidate onSubmit={submit}>
        <ProblemNote problem={isWrong ? null : problem} focus />
        <p>{t('confirm.again')}</p>
        <PasswordField
          name="password"
          autoComplete="current-password"
          autoFocus
          label={label}
          error={empty ? fieldWords({ code: 'REQUIRED' }, label) : isWrong ? t('prove.password.wrong') : null}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setEmpty(false)
          }}
        />
      </form>
    </Dialog>
  )
}
