import { type ComponentType, lazy } from 'react'
import { UserListPage } from '#features/users/list/UserListPage.tsx'

/** Additional sections that work only online. If their code cannot be loaded, which is usual offline, they are not shown. */
const LazySidePanels = lazy<ComponentType<{ id: number; name: string; email: string }>>(() =>
  import(/* chunk: online */ '#app/pages/UserSidePanels.tsx').then(
    ({ UserSidePanels: SidePanelsPart }) => ({ default: SidePanelsPart }),
    () => ({ default: () => null }),
  ),
)

export const UsersRoute = () => <UserListPage ExtraSections={LazySidePanels} />
