// The page of the fixture application.
window.ofThePage = 'page';
window.seenAtStart = typeof window.fixture;
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.violations.push(event.effectiveDirective),
);
document.addEventListener('DOMContentLoaded', () => {
  const zone = document.querySelector('button');
  const status = document.querySelector('[role=status]');
  zone.addEventListener('dragover', (event) => event.preventDefault());
  zone.addEventListener('drop', async (event) => {
    event.preventDefault();
    const paths = await window.fixture.paths([...event.dataTransfer.files]);
    status.textContent = paths.join('\n');
  });
});
