import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, type ModulesView } from '#features/modules/view.ts'

interface EmptyModulesProps {
  view: ModulesView
  /** A list was read here before. */
  wasRead: boolean
  /** Where one is made. */
  createPath: string
  onChange: (change: Partial<ModulesView>) => void
}

/** Never read here, nothing for this text, none yet (C-04, C-11). */
export function EmptyModules({ view, wasRead, createPath, onChange }: EmptyModulesProps) {
  const { t } = useTranslation('modules')
  if (!wasRead)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view))
    return (
      <EmptyState
        icon="search"
        title={t('empty.noneFound')}
        action={<Button onClick={() => onChange({ searchText: '', page: 1 })}>{t('empty.dropAll')}</Button>}
      >
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  const kind = view.kindFilter === 'hidden' ? 'hidden' : 'visible'
  return (
    <EmptyState
      icon="module"
      title={t(`empty.${kind}`)}
      action={
        <ButtonLink to={createPath} icon="plus">
          {t(`create.${kind}`)}
        </ButtonLink>
      }
    >
      {t(`empty.${kind}Text`)}
    </EmptyState>
  )
}
