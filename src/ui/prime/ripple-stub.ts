/** Stands in for parts that PrimeReact's dialog brings and ours never shows (vite.config.ts): the ripple, resizing. */
export const Ripple = () => null
export { Ripple as WindowMaximizeIcon, Ripple as WindowMinimizeIcon }
