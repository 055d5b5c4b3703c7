import { useTranslation } from 'react-i18next'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** Hidden modules that come along and cost nothing (D5), as rows of a list. */
export function JoiningModuleRows({ modules }: { modules: readonly { code: string; name: string }[] }) {
  const { t } = useTranslation('contract')
  return modules.map(({ code, name }) => (
    <li key={code} className="joining">
      <span lang={getNameLang(name)}>{name}</span>
      <span>{t('joins')}</span>
    </li>
  ))
}
