import { SkeletonCard } from '#ui/page/Skeleton.tsx'

/** Keeps the space of the panel until its code and its record are loaded, so that nothing below moves. */
export const PanelSpace = () => <SkeletonCard className="device-prepare-space" />
