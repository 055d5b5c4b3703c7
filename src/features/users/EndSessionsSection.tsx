import { endUserSessions } from '#contract/sessions.ts'
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { addMessages } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

// Loaded with this code, so that lists do not wait for these messages and devices do not store them.
addMessages('sessions', { en, zh })

/** Ends all sessions of a user (S-46). Not part of the form: the user is not changed, and nothing is queued. */
export function EndSessionsSection({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('sessions')
  const { run, isBusy, problem } = useAction(endUserSessions)
  async function handleEnd() {
    const result = await run({ params: { id } })
    if (result.kind !== 'problem') showToast({ kind: 'done', text: t('admin.ended', { name }) })
  }
  return (
    <fieldset className="user-group">
      <legend>{t('admin.title')}</legend>
      <ProblemNote problem={problem} title={t('admin.failed')} shouldFocus />
      <p className="field-help">{t('admin.text')}</p>
      <Button isBusy={isBusy} onClick={() => void handleEnd()}>
        {t('admin.end')}
      </Button>
    </fieldset>
  )
}
