import { ButtonLink } from '#ui/Button.tsx'
import { useWords } from '#ui/words.ts'

/** What will be here, and what to do until it is. */
export function Prepared({ text, now }: { text: string; now: string }) {
  const t = useWords('accounts')
  return (
    <>
      <p>{text}</p>
      <p>{now}</p>
      <ButtonLink to="/login">{t('backToLogin')}</ButtonLink>
    </>
  )
}
