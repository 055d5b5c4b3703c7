import { useTranslation } from 'react-i18next'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** List rows of hidden modules that are added automatically and are free (D5). */
export function JoiningModuleRows({ modules }: { modules: readonly { code: string; name: string }[] }) {
  const { t } = useTranslation('contract')
  return modules.map(({ code, name }) => (
    <li key={code} className="joining">
      <span lang={getNameLang(name)}>{name}</span>
      <span>{t('joins')}</span>
    </li>
  ))
}
