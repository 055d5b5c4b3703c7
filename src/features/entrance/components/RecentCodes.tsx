import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { EntranceService } from '#features/entrance/found-services.ts'

interface RecentCodesProps {
  services: readonly EntranceService[]
  onOpen: (code: string) => void
  onRemove: (code: string) => void
}

export function RecentCodes({ services, onOpen, onRemove }: RecentCodesProps) {
  const { t } = useTranslation('entrance')
  return (
    <section aria-labelledby="entrance-last">
      <h2 id="entrance-last">{t('last.title')}</h2>
      <ul className="entrance-last">
        {services.map(({ code }) => (
          <li key={code}>
            <button
              type="button"
              className="button quiet"
              aria-label={t('last.open', { code })}
              onClick={() => onOpen(code)}
            >
              <code>{code}</code>
            </button>
            <Button kind="plain" isIconOnly icon="close" onClick={() => onRemove(code)}>
              {t('last.forget', { code })}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
