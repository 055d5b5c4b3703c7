/**
 * Asks for the password again in a dialog above the page. The page's call waits for it and then continues (S-48). The password is neither
 * stored nor queued. The dialog has a React root of its own, because any page may need it and none should load it in advance.
 */
import '#features/accounts/factor-words.ts'
import { type FormEvent, useId, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { confirmPassword } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import type { ApiClient } from '#request/call-results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { PasswordField } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { loadMessages } from '#ui/i18n/messages.ts'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

let pendingDialog: Promise<boolean> | null = null

/** All waiting callers share one dialog. Resolves to false if it was closed. */
export const openStepUpDialog = (api: ApiClient): Promise<boolean> =>
  (pendingDialog ??= showDialog(api).finally(() => (pendingDialog = null)))

async function showDialog(api: ApiClient): Promise<boolean> {
  await loadMessages('problem', 'fields')
  const container = document.body.appendChild(document.createElement('div'))
  const root = createRoot(container)
  const isConfirmed = await new Promise<boolean>((resolve) => root.render(<StepUpDialog api={api} onEnd={resolve} />))
  root.unmount()
  container.remove()
  return isConfirmed
}

function StepUpDialog({ api, onEnd }: { api: ApiClient; onEnd: (isConfirmed: boolean) => void }) {
  const { t } = useTranslation('factors')
  const formId = useId()
  const [password, setPassword] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [isEmpty, setIsEmpty] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const label = t('prove.password.label')
  const isWrong = problem?.code === 'MFA_INVALID'
  async function send() {
    setIsBusy(true)
    setProblem(null)
    const result = await api.call(confirmPassword, { body: { password } })
    setIsBusy(false)
    if (result.kind !== 'problem') return onEnd(true)
    setProblem(result.problem)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsEmpty(password === '')
    if (password !== '' && !isBusy) void send()
  }
  const submitButton = (
    <Button kind="primary" type="submit" form={formId} isBusy={isBusy}>
      {t('confirm.submit')}
    </Button>
  )
  return (
    <Dialog open title={t('confirm.title')} onClose={() => onEnd(false)} action={submitButton}>
      <form id={formId} className="form" noValidate onSubmit={submit}>
        <ProblemNote problem={isWrong ? null : problem} shouldFocus />
        <p>{t('confirm.again')}</p>
        <PasswordField
          name="password"
          autoComplete="current-password"
          autoFocus
          label={label}
          error={isEmpty ? formatFieldProblem({ code: 'REQUIRED' }, label) : isWrong ? t('prove.password.wrong') : null}
          value={password}
          onChange={(event) => {
            setPassword(event.target.value)
            setIsEmpty(false)
          }}
        />
      </form>
    </Dialog>
  )
}
