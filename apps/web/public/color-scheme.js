// Runs before the first paint, so that a dark page never flashes white. The key is Mantine's.
(() => {
  let choice = 'auto';
  try {
    choice = localStorage.getItem('mantine-color-scheme-value') || 'auto';
  } catch {
    // Storage is refused: the system's choice stands.
  }
  const isDark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
