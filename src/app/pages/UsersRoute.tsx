import { type ComponentType, lazy } from 'react'
import { UserListPage } from '#features/users/list/UserListPage.tsx'

/** The panels are useless offline, and their code cannot be loaded then either. */
const LazySidePanels = lazy<ComponentType<{ id: number; name: string }>>(() =>
  import(/* chunk: online */ '#app/pages/UserSidePanels.tsx').then(
    ({ UserSidePanels: SidePanelsPart }) => ({ default: SidePanelsPart }),
    () => ({ default: () => null }),
  ),
)

export const UsersRoute = () => <UserListPage ExtraSections={LazySidePanels} />
